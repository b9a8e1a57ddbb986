package text_test

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-memory/memory/text"
)

// fake builds a key of n characters after a prefix, from a fixed sequence that
// looks random. The test never spells a whole key, so that no scanner takes
// this file for a leak.
func fake(prefix, alphabet string, n int) string {
	var b strings.Builder
	b.WriteString(prefix)
	state := uint32(len(prefix)*7919 + n)
	for range n {
		state = state*1664525 + 1013904223
		b.WriteByte(alphabet[int(state>>16)%len(alphabet)])
	}
	return b.String()
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nums  = "0123456789"
	alnum = lower + upper + nums
)

// fakeJWT builds a token of three parts.
func fakeJWT() string {
	part := base64.RawURLEncoding.EncodeToString
	head := part([]byte(`{"alg":"HS256","typ":"JWT"}`))
	body := part([]byte(`{"sub":"1234567890","name":"nobody","iat":1516239022}`))
	return head + "." + body + "." + fake("", alnum, 43)
}

// fakePEM builds a private key block of some lines, with or without its end.
func fakePEM(kind, newline string, ended bool) string {
	lines := []string{"-----BEGIN " + kind + "PRIVATE" + " KEY-----"}
	for i := range 5 {
		lines = append(lines, fake("", alnum+"+/", 64+0*i))
	}
	lines = append(lines, fake("", alnum, 20)+"==")
	if ended {
		lines = append(lines, "-----END "+kind+"PRIVATE"+" KEY-----")
	}
	return strings.Join(lines, newline)
}

func TestMask(t *testing.T) {
	t.Parallel()
	r := text.NewRedactor()
	for _, tt := range []struct {
		name, format, secret, rule string
	}{
		{"sk", "my key is % and more", fake("sk"+"-", alnum, 48), "sk-key"},
		{"sk short", "key %.", fake("sk"+"-", lower+nums, 20), "sk-key"},
		{"sk proj", "OPENAI_API_KEY=%\n", fake("sk"+"-proj-", alnum+"_-", 120), "sk-key"},
		{"sk ant", "export ANTHROPIC_API_KEY=\"%\"", fake("sk"+"-ant-api03-", alnum+"_-", 93) + "AA", ""},
		{"sk in Chinese", "我的密钥是%，请保存", fake("sk"+"-", alnum, 40), "sk-key"},
		{"AWS", "and AWS %, region eu", fake("AK"+"IA", upper+"234567", 16), "aws-access-token"},
		{"AWS with zero", "AWS: %", fake("AS"+"IA", upper+nums, 14) + "01", "aws-access-token"},
		{"AWS secret", "aws_secret_access_key = %\n", fake("", alnum+"+/", 39) + "7", "generic-api-key"},
		{"GitHub", "401 with %", fake("gh"+"p_", alnum, 36), "github-pat"},
		{"GitHub fine-grained", "token % failed", fake("github"+"_pat_", alnum+"_", 82), "github-fine-grained-pat"},
		{"GitLab", "use % here", fake("gl"+"pat-", alnum, 20), "gitlab-pat"},
		{"Slack", "bot % posts", fake("xo"+"xb-", nums, 12) + "-" + fake("", nums, 12) + "-" + fake("", alnum, 24), "slack-bot-token"},
		{"Google", "GOOGLE=%", fake("AI"+"za", alnum+"-_", 35), ""},
		{"Stripe", "% is live", fake("sk"+"_live_", alnum, 24), "stripe-access-token"},
		{"JWT", "Bearer %", fakeJWT(), ""},
		{"JWT alone", "cookie % end", fakeJWT(), "jwt"},
		{"long JWT", "the cookie was % at first", fakeJWT() + fake("", alnum, 6000), "jwt"},
		{"header", "Authorization: Bearer %\r\nAccept: */*", fake("", alnum, 12) + "9a", "authorization"},
		{"JSON header", `{"Authorization": "Bearer %"}`, fake("", alnum, 30) + "9a", "authorization"},
		{"basic", "authorization: Basic %", base64.StdEncoding.EncodeToString([]byte("admin:hunter22")), "authorization"},
		{"bearer", "send Bearer % with it", fake("", alnum, 24) + "9a", "bearer-token"},
		{"curl user", "run curl -u admin:% https://example.com/x", "correct" + "horse", "command-password"},
		{"curl header", "curl -H 'X-Api-Key: %' https://example.com", fake("", alnum, 30) + "7", "generic-api-key"},
		{"command user", "tool --user=admin:% run", "hunter" + "22", "command-password"},
		{"URL", "postgres://app:%@db.internal:5432/main", "s3cr3t" + "pw", "url-password"},
		{"URL without digits", "amqp://bob:%@mq/", "correct" + "horse", "url-password"},
		{"PEM", "key:\n%\nthat was it", fakePEM("RSA ", "\n", true), "private-key"},
		{"PEM of PKCS 8", "%", fakePEM("", "\r\n", true), "private-key"},
		{"PEM in JSON", `{"private_key":"%"}`, fakePEM("", `\n`, true), "private-key"},
		{"PEM without end", "% ", fakePEM("EC ", "\n", false), "private-key"},
		{"password", "password: %", "hunter" + "22", "password"},
		{"password in env", "DB_PASSWORD=%\nDB_HOST=localhost", "hunter" + "22", "password"},
		{"password in JSON", `{"user":"bob","password":"%","port":1}`, "tr0ub4" + "dor", "password"},
		{"password of digits", "pwd=%", "4815" + "1623", "password"},
		{"password with signs", "password = '%'", "P@ssw0rd" + "!x", "password"},
		{"password of a command", "mysql --password %", "hunter" + "22", "password"},
		{"password in a sentence", "the password is %, keep it.", "Tr0ub4" + "dor&3", "password"},
		{"password in Chinese", "密码：%。", "abc" + "12345", "password"},
		{"password in Chinese prose", "数据库密码是%，别忘了", "abc" + "12345", "password"},
		{"password in Japanese", "パスワードは%です", "abc" + "12345", "password"},
		{"generic", "api_key = \"%\"", fake("", alnum, 30) + "7", "generic-api-key"},
		{"generic like a checksum", "API key: %\n", fake("", "0123456789abcdef", 40), "generic-api-key"},
		{"allow remark", "token % # gitleaks" + ":allow", fake("gh"+"p_", alnum, 36), "github-pat"},
	} {
		before, after, _ := strings.Cut(tt.format, "%")
		in := before + tt.secret + after
		got, found := r.Mask(in)
		if found != 1 || strings.Contains(got, tt.secret) {
			t.Errorf("%s: Mask(%q) = %q, %d, want one secret found", tt.name, in, got, found)
			continue
		}
		if !strings.HasPrefix(got, before+"[redacted:"+tt.rule) || !strings.HasSuffix(got, "]"+after) {
			t.Errorf("%s: Mask(%q) = %q, want %q", tt.name, in, got, before+"[redacted:"+tt.rule+"]"+after)
		}
		if again, more := r.Mask(got); again != got || more != 0 {
			t.Errorf("%s: Mask(%q) = %q, %d, want no change", tt.name, got, again, more)
		}
	}
}

func TestMaskLeavesMentions(t *testing.T) {
	t.Parallel()
	r := text.NewRedactor()
	for _, in := range []string{
		"",
		"No API key in the build. apiKey: import.meta.env.VITE_KEY, commit 9f86d081884c7d659a2feaa0c55ad015, token budget 32000",
		"commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 fixed the auth bug, see PR #1234",
		"request id 550e8400-e29b-41d4-a716-446655440000, trace 4bf92f3577b34da6a3ce929d0e0e4736",
		"cache key: 9f86d081884c7d659a2feaa0c55ad015, INFO api request id=550e8400-e29b-41d4-a716-446655440000 key lookup took 33ms",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"The password must have 8 characters, a digit and a sign; password: required, passwords: 12 of them",
		"Please reset my password at https://example.com/reset-password?step=2 before 2026-11-30T10:00:00Z.",
		"the password is base64-encoded, then SHA256-hashed and compared",
		"password: string, password: <your-password>, password=$DB_PASSWORD1, password: ${PASS1}, password: ********",
		"password = getPassword2(user), password: config.db.password2, password: os.environ['PW1']",
		"const token = process.env.OPENAI_API_KEY_V2; const apiKey = config.keys.primary2",
		"Authorization: Bearer <token>, Authorization: Bearer $TOKEN, Authorization: Bearer YOUR_ACCESS_TOKEN",
		"postgres://user:password@localhost/db and https://user:<pass>@host and redis://localhost:6379/0",
		"sk-learn and sk-learn-tutorial-2024-part-2-of-the-series, task-management-2024-roadmap-v2",
		"a key starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----, that is all",
		"use the key file server-key-2024.pem and auth: config-prod-2024.yaml",
		"密码至少要有8位，包括数字。密码：必填。忘记密码了怎么办？密码长度是12",
		"パスワードは8文字以上です。パスワードを忘れた。パスワード：必須",
		"token_count=32000 max_tokens: 128000 access: granted keyboard: qwerty key-value store 12345678",
		"example id AKIA" + "IOSFODNN7EXAMPLE of the documentation",
		"monkey: see, monkey: do; author: jane.doe2@example.com; turkey=2024",
		"docker run -u 1000:1000 image:2024 --user=postgres:postgres",
		"bearer of bad news, the bearer bonds of 1987",
		"[redacted:generic-api-key] and api_key=[redacted:generic-api-key], password: [redacted:password]",
	} {
		if got, found := r.Mask(in); got != in || found != 0 {
			t.Errorf("Mask(%q) = %q, %d, want no change", in, got, found)
		}
	}
}

func TestMaskSeveral(t *testing.T) {
	t.Parallel()
	sk, aws, jwt := fake("sk"+"-", alnum, 48), fake("AK"+"IA", upper+"234567", 16), fakeJWT()
	in := "my key is " + sk + " and AWS " + aws + ", Bearer " + jwt + " and again " + sk
	got, found := text.NewRedactor().Mask(in)
	for _, value := range []string{sk, aws, jwt} {
		if strings.Contains(got, value) {
			t.Errorf("Mask(%q) = %q, still holds %q", in, got, value)
		}
	}
	if found != 4 {
		t.Errorf("Mask(%q) found %d, want 4", in, found)
	}
}

func TestMaskFarApart(t *testing.T) {
	t.Parallel()
	key := fake("gh"+"p_", alnum, 36)
	filler := strings.Repeat("the build took 12345 ms and 678901 bytes; ", 200)
	unbroken := strings.Repeat("x1y2z3", 2000)
	in := filler + key + " " + filler + unbroken + " " + key + "\n" + filler + key
	got, found := text.NewRedactor().Mask(in)
	want := strings.ReplaceAll(in, key, "[redacted:github-pat]")
	if got != want || found != 3 {
		t.Errorf("Mask of %d bytes with 3 keys found %d, equal to the wanted text: %v", len(in), found, got == want)
	}
}

func TestMaskConcurrently(t *testing.T) {
	t.Parallel()
	r := text.NewRedactor()
	key := fake("gh"+"p_", alnum, 36)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			r.Warm()
			if got, found := r.Mask("token " + key); found != 1 {
				t.Errorf("Mask = %q, %d, want one secret found", got, found)
			}
		})
	}
	group.Wait()
}

func FuzzMask(f *testing.F) {
	f.Add("password: hunter22, token " + fake("gh"+"p_", alnum, 36))
	f.Add("\xff\x00[redacted:x]")
	f.Add(fakePEM("", "\n", false))
	r := text.NewRedactor()
	f.Fuzz(func(t *testing.T, s string) {
		got, found := r.Mask(s)
		if (found == 0) != (got == s) {
			t.Fatalf("Mask(%q) = %q, %d", s, got, found)
		}
		if again, more := r.Mask(got); again != got || more != 0 {
			t.Fatalf("Mask(%q) = %q, %d, want no change", got, again, more)
		}
	})
}

// TestMaskReadsNoSettings runs TestMask in a process whose folder and
// environment hold settings that would switch gitleaks off, and wants it to
// print nothing of its own.
func TestMaskReadsNoSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := filepath.Join(dir, ".gitleaks.toml")
	if err := os.WriteFile(settings, []byte("[allowlist]\nregexes = ['''.*''']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMask$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GITLEAKS_CONFIG="+settings, "GITLEAKS_CONFIG_TOML=[allowlist]\nregexes = ['''.*''']\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("TestMask among foreign settings: %v\n%s", err, out)
	}
	printed := slices.DeleteFunc(strings.Fields(string(out)), func(w string) bool { return w == "PASS" })
	if len(printed) > 0 && printed[0] != "coverage:" {
		t.Errorf("TestMask printed %q, want nothing", printed)
	}
}
