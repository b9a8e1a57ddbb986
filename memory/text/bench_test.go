package text_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-memory/memory/text"
)

var (
	english = strings.Repeat("We deployed the new version on Monday, and the database migration took longer than expected because two indexes were rebuilt. ", 80)
	chinese = strings.Repeat("昨晚我们确认了部署步骤和数据库备份，今天上午再检查一次索引。", 110)
	russian = strings.Repeat("Наталья готовит отчёт о переносе базы данных на новый сервер. ", 90)
)

func BenchmarkTokens(b *testing.B) {
	for name, s := range map[string]string{"english": english, "chinese": chinese, "russian": russian} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = 0
				for range text.Tokens(s) {
					n++
				}
			}
			b.ReportMetric(float64(n), "tokens")
		})
	}
}

func BenchmarkParseQuery(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		text.ParseQuery(`when did we deploy the "new version" 数据库备份`)
	}
}

func BenchmarkSnippet(b *testing.B) {
	q := text.ParseQuery("database migration expected")
	b.SetBytes(int64(len(english)))
	for b.Loop() {
		text.Snippet(english, q, 300)
	}
}

func BenchmarkMask(b *testing.B) {
	r := text.NewRedactor()
	r.Warm()
	log := `2026-11-30T10:22:33Z INFO api request id=550e8400-e29b-41d4-a716-446655440000 key lookup took 33ms, token_count=3200` + "\n"
	for name, s := range map[string]string{
		"short":   "please deploy the token service with the api key from the vault at 10:30 today",
		"secret":  "the token is " + fake("gh"+"p_", alnum, 36) + ", keep it safe",
		"64k":     strings.Repeat(english, 8)[:64<<10],
		"64k-log": strings.Repeat(log, 600)[:64<<10],
		"5M":      strings.Repeat(english, 600)[:5<<20],
		"5M-log":  strings.Repeat(log, 50_000)[:5<<20],
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				r.Mask(s)
			}
		})
	}
}

// BenchmarkMaskHostile masks texts made to be slow: time must grow with length
// alone.
func BenchmarkMaskHostile(b *testing.B) {
	r := text.NewRedactor()
	r.Warm()
	for name, unit := range map[string]string{
		"base64":      "QUJDREVGR0hJSktM",
		"PEM starts":  "-----BEGIN PRIVATE" + " KEY-----\n",
		"markers":     "[redacted:",
		"curl":        "curl ",
		"commands":    "curl -u a1:b2 ",
		"assignments": "password: a1 ",
	} {
		for _, size := range []int{64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				s := strings.Repeat(unit, size/len(unit))
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					r.Mask(s)
				}
			})
		}
	}
}
