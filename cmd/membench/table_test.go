package main

import "testing"

func TestTable(t *testing.T) {
	t.Parallel()
	tab := table{left: 1}
	tab.add("name", "a", "long one")
	tab.add("time (µs)", "1234", "5")
	want := "name          a  long one\n" +
		"-------------------------\n" +
		"time (µs)  1234         5\n"
	if got := tab.String(); got != want {
		t.Errorf("String() =\n%swant\n%s", got, want)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0.000", .12345: "0.123", 1.2345: "1.23", 12.345: "12.3", 123.45: "123", 123456: "123456",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}
