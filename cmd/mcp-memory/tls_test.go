package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 with its key, and returns a pool
// that trusts it.
func certificate(t *testing.T) (certFile, keyFile string, trusted *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted = x509.NewCertPool()
	if parsed, err := x509.ParseCertificate(cert); err == nil {
		trusted.AddCert(parsed)
	}
	return certFile, keyFile, trusted
}

// With a certificate everything goes over HTTPS, streams too, in HTTP/1.1 and in
// HTTP/2, and nothing without.
func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, trusted := certificate(t)
	s := serve(t, nil, "--db", filepath.Join(t.TempDir(), "memory.db"), "--tls-cert", certFile, "--tls-key", keyFile, "--keep-alive", "50ms")
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("the program is at %s, want https", s.url)
	}
	for _, second := range []bool{false, true} {
		s.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: second}}
		method, path, body := record("s", "hello")
		if status, got := s.ask("", method, path, body); status != 200 {
			t.Errorf("POST, HTTP/2 %v = %d %s", second, status, got)
		}
		for name, stream := range s.streams() {
			if (stream.ProtoMajor == 2) != second {
				t.Errorf("stream %s has the protocol %s", name, stream.Proto)
			}
			in, late := lines(stream), time.After(5*time.Second)
			for alive := false; !alive; {
				select {
				case line := <-in:
					alive = strings.HasPrefix(line, ":") || strings.Contains(line, `"ping"`)
				case <-late:
					t.Fatalf("stream %s shows no sign of life, HTTP/2 %v", name, second)
				}
			}
		}
	}
	plain, err := http.Get("http" + strings.TrimPrefix(s.url, "https") + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	plain.Body.Close()
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS = %s, want 400", plain.Status)
	}
}
