package rights_test

import (
	"fmt"
	"strings"

	"github.com/punctual-go/punctual/cluster/rights"
)

// The configuration of a server on which a dashboard may look at a pool, without its longest list.
func ExampleConfig() {
	text, err := rights.Config(rights.User{Name: "dashboard", Password: "change-me",
		Roles: map[string]rights.Role{"tasks": rights.Viewer}})
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "$JS.API.") {
			fmt.Print(line)
		}
	}
	// Output:
	// authorization {
	//   users: [
	//     { user: "dashboard", password: "change-me", permissions: {
	//       publish: [
	//       ]
	//       subscribe: [
	//         "_INBOX_dashboard.>"
	//       ]
	//     } }
	//   ]
	// }
}
