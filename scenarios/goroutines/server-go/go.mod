module loopwatch/scenarios/goroutines

go 1.22
