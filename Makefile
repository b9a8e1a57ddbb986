# Short names for what CONTRIBUTING describes. Plain go commands do the same.

.PHONY: build test check demo vuln bench clean

build: ## the static binary, bin/mcp-memory
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/...

test: ## what the README says
	go test ./...

check: ## all that CI runs
	.ci/run

demo:
	go run ./cmd/mcp-memory demo

vuln: ## known faults in the libraries; asks the Go vulnerability database
	go tool govulncheck ./...

bench: build ## speed and memory of the real binary
	bin/membench speed 1000 10000 --binary bin/mcp-memory

clean:
	rm -rf bin
