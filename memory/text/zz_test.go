package text_test

import (
	"fmt"
	"github.com/zricethezav/gitleaks/v8/detect"
	"mcp-memory/memory/text"
	"strings"
	"testing"
	"time"
)

func TestZ(t *testing.T) {
	d, _ := detect.NewDetectorDefaultConfig()
	for _, n := range []int{1, 250, 2000} {
		w := strings.Repeat("x", n)
		t0 := time.Now()
		for range 200 {
			d.DetectString(w)
		}
		fmt.Println("fixed", n, time.Since(t0)/200)
	}
	r := text.NewRedactor()
	t0 := time.Now()
	r.Warm()
	fmt.Println("warm", time.Since(t0))
	m := map[string]string{
		"prose": strings.Repeat("The quick brown fox jumps over the lazy dog and the city council discussed an access road near the monkey house. ", 5<<20/113),
		"code":  strings.Repeat("func (c *Client) token(ctx context.Context, key string) (string, error) {\n\tif c.secret == nil { return \"\", errors.New(\"no api key\") }\n\tauth := c.password + key // twitter and discord via curl -H x\n}\n", 5<<20/210),
		"zh":    strings.Repeat("昨晚我们确认了部署步骤和数据库备份，密码策略也讨论了。", 5<<20/81),
		"b64":   strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODk", 5<<20/84),
		"logs":  strings.Repeat("{\"ts\":\"2026-11-30T10:22:33.123Z\",\"level\":\"info\",\"token_count\":3200,\"access\":\"granted\",\"id\":\"550e8400-e29b-41d4-a716-446655440000\"}\n2026-11-30 10:22:33 INFO api request 7f3a9c1e key lookup took 33ms\n", 5<<20/200),
		"short": "please deploy the token service with the api key from vault at 2026-11-30T10:00",
	}
	for n, s := range m {
		t0 := time.Now()
		_, f := r.Mask(s)
		fmt.Println(n, len(s), f, time.Since(t0))
	}
}
