package cost

// processor returns 0: on Windows, only memory is tested.
func processor() float64 { return 0 }
