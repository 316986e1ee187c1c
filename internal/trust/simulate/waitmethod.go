package simulate

// waitMethod is how a call waits for its tasks.
type waitMethod uint8

const (
	getting     waitMethod = iota // Get
	gettingFor                    // GetTimeout
	awaitingAll                   // All
	awaitingAny                   // Any
	completing                    // Completed
	taking                        // CompletionService.Take
	invokingAll                   // InvokeAll
	invokingAny                   // InvokeAny
	grouping                      // Group.Wait
	notWaiting                    // it does not wait
	onItself                      // Get of the caller's own future
	terminating                   // AwaitTermination
	waitMethods
)

// String returns the name of the function.
func (y waitMethod) String() string {
	return [...]string{"Get", "GetTimeout", "All", "Any", "Completed", "Take", "InvokeAll",
		"InvokeAny", "Group.Wait",
		"Submit", "Get of oneself", "AwaitTermination"}[y]
}

// takesContext reports whether the wait ends with a context.
func (y waitMethod) takesContext() bool { return y != gettingFor }

// bulk reports whether the tasks are submitted by the very function that waits, which may cancel
// them.
func (y waitMethod) bulk() bool { return y == invokingAll || y == invokingAny || y == grouping }
