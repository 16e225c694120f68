package box

// OnlyWindows is for Windows.
func OnlyWindows() {}
