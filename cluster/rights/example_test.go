package rights_test

import (
	"fmt"

	"github.com/punctual-go/punctual/cluster/rights"
)

// The configuration of a server on which a dashboard may look at a pool.
func ExampleConfig() {
	text, err := rights.Config(rights.User{Name: "dashboard", Password: "change-me",
		Roles: map[string]rights.Role{"tasks": rights.Viewer}})
	if err != nil {
		panic(err)
	}
	fmt.Print(text)
	// Output:
	// authorization {
	//   users: [
	//     { user: "dashboard", password: "change-me", permissions: {
	//       publish: [
	//         "$JS.API.STREAM.INFO.PUNCTUAL_tasks", "$JS.API.STREAM.INFO.PUNCTUAL_tasks_DEAD",
	//         "$JS.API.STREAM.INFO.KV_PUNCTUAL_tasks", "$JS.API.STREAM.MSG.GET.PUNCTUAL_tasks",
	//         "$JS.API.STREAM.MSG.GET.KV_PUNCTUAL_tasks", "$JS.API.CONSUMER.LIST.PUNCTUAL_tasks",
	//         "$JS.API.CONSUMER.CREATE.KV_PUNCTUAL_tasks.>", "$JS.API.CONSUMER.INFO.KV_PUNCTUAL_tasks.>",
	//         "$JS.API.CONSUMER.MSG.NEXT.KV_PUNCTUAL_tasks.>", "$JS.API.CONSUMER.DELETE.KV_PUNCTUAL_tasks.>",
	//         "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks", "$JS.API.CONSUMER.CREATE.KV_PUNCTUAL_tasks"
	//       ]
	//       subscribe: [
	//         "_INBOX_dashboard.>"
	//       ]
	//     } }
	//   ]
	// }
}
