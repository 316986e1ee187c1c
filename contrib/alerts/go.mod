module github.com/punctual-go/punctual/contrib/alerts

go 1.25.0

require (
	github.com/punctual-go/punctual v0.1.0
	github.com/stretchr/testify v1.12.1
)

require (
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
