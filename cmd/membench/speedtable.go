package main

import "strconv"

// speedRow is a row of the table: its name with the unit, and its cell for a
// column.
type speedRow struct {
	name string
	cell func(c *speedColumn) string
}

// table has a row for each figure and a column for each size and way of
// syncing.
func (r *speedReport) table() table {
	t := table{left: 1}
	heading := []string{"messages, sync"}
	for i := range r.Columns {
		heading = append(heading, strconv.Itoa(r.Columns[i].Messages)+" "+r.Columns[i].Sync)
	}
	t.add(heading...)
	for _, row := range r.rows() {
		line := []string{row.name}
		for i := range r.Columns {
			line = append(line, row.cell(&r.Columns[i]))
		}
		t.add(line...)
	}
	return t
}

// rows returns all rows in order.
func (r *speedReport) rows() []speedRow {
	rows := []speedRow{
		figure("start to initialize reply, median of 5 (ms)", func(c *speedColumn) float64 { return c.StartMillis }),
		figure("fill (s)", func(c *speedColumn) float64 { return c.FillSeconds }),
		figure("fill's vectors there after (s)", func(c *speedColumn) float64 { return c.IndexDelay }),
	}
	rows = append(rows, latencyRows("add one message", func(c *speedColumn) latency { return c.Add })...)
	rows = append(rows,
		figure("yardstick: fsync of a 4 KB append p50 (µs)", func(c *speedColumn) float64 { return c.Yardstick.FsyncMicros }),
		figure("yardstick: CPU loop (ms)", func(c *speedColumn) float64 { return c.Yardstick.LoopMillis }),
		figure("add p50 / fsync p50", func(c *speedColumn) float64 { return c.AddPerFsync }),
	)
	rows = append(rows, r.searchRows()...)
	rows = append(rows, trainingRows()...)
	rows = append(rows, memoryRows()...)
	return append(rows, fileRows()...)
}

// searchRows has three rows for each kind of query; all columns have the same
// kinds in the same order.
func (r *speedReport) searchRows() []speedRow {
	var rows []speedRow
	if len(r.Columns) == 0 {
		return rows
	}
	for i, s := range r.Columns[0].Searches {
		name := "search " + s.Match + ", " + s.Kind
		rows = append(rows, latencyRows(name, func(c *speedColumn) latency { return c.Searches[i].latency })...)
	}
	return rows
}

func memoryRows() []speedRow {
	row := func(name string, value func(m *memoryUse) int64) speedRow {
		return speedRow{name, func(c *speedColumn) string {
			if c.Memory == nil {
				return "n/a"
			}
			return number(float64(value(c.Memory)) / 1e6)
		}}
	}
	return []speedRow{
		row("memory resident (MB)", func(m *memoryUse) int64 { return m.Resident }),
		row("memory resident, peak (MB)", func(m *memoryUse) int64 { return m.Peak }),
		row("memory of its own (MB)", func(m *memoryUse) int64 { return m.Anonymous }),
		row("memory mapped from files (MB)", func(m *memoryUse) int64 { return m.FileMapped }),
	}
}

func fileRows() []speedRow {
	return []speedRow{
		figure("database file (MB)", func(c *speedColumn) float64 { return float64(c.Files.Database) / 1e6 }),
		figure("write-ahead log (MB)", func(c *speedColumn) float64 { return float64(c.Files.Log) / 1e6 }),
		figure("text of all messages (MB)", func(c *speedColumn) float64 { return float64(c.Files.Text) / 1e6 }),
		figure("file and log a message (bytes)", func(c *speedColumn) float64 { return c.Files.PerMessage }),
		figure("file and log / text", func(c *speedColumn) float64 { return c.Files.PerText }),
	}
}

func figure(name string, value func(c *speedColumn) float64) speedRow {
	return speedRow{name, func(c *speedColumn) string { return number(value(c)) }}
}

func latencyRows(name string, of func(c *speedColumn) latency) []speedRow {
	return []speedRow{
		figure(name+" p50 (ms)", func(c *speedColumn) float64 { return of(c).P50 }),
		figure(name+" p95 (ms)", func(c *speedColumn) float64 { return of(c).P95 }),
		figure(name+" p99 (ms)", func(c *speedColumn) float64 { return of(c).P99 }),
	}
}
