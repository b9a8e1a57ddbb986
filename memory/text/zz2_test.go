package text_test
import ("testing";"strings";"fmt";"time";"github.com/zricethezav/gitleaks/v8/detect")
func TestZ2(t *testing.T){
 d,_:=detect.NewDetectorDefaultConfig()
 for _,kw:=range []string{"","token","curl","twitter","discord","key password secret auth api"}{
 s:=strings.Repeat("func (c *Client) foo(ctx context.Context, bar string) (string, error) {\n\tif c.barf == nil { return \"\", errors.New(\"no xxx bar\") }\n\tasdf := c.sdff + sdf // and via -H x "+kw+"\n}\n",10)
 t0:=time.Now(); for range 20 {d.DetectString(s)}; fmt.Printf("%q %v per KB\n",kw,time.Since(t0)/time.Duration(20*len(s))*1024)
 }
}
