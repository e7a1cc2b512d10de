// The Go side of the scenario goroutines: the same endpoints as server-node.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
)

const schedLatencies = "/sched/latencies:seconds"

func main() {
	pool := flag.Int("pool", 0, "at most so many requests work at once; 0 = a goroutine each, as net/http has it")
	kind := flag.String("state", "atomic", "what guards the shared counters")
	port := flag.Int("port", 0, "0 = any free one")
	flag.Parse()

	counters := newState(*kind)
	if counters == nil {
		fail(fmt.Errorf("no state is called %s", *kind))
	}
	var places chan struct{}
	if *pool > 0 {
		places = make(chan struct{}, *pool)
	}
	bounded := func(work func()) {
		if places != nil {
			places <- struct{}{}
			defer func() { <-places }()
		}
		work()
	}
	var toggleLock sync.Mutex
	toggle := map[string]bool{}

	mux := http.NewServeMux()
	mux.HandleFunc("/work", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		kernel := kernels[query.Get("kernel")]
		steps, err := strconv.ParseInt(query.Get("steps"), 10, 64)
		if kernel == nil || err != nil {
			http.Error(w, "kernel and steps", http.StatusBadRequest)
			return
		}
		bounded(func() {
			text := kernel(steps)
			if query.Get("toggle") == "1" {
				toggleLock.Lock()
				toggle["on"] = !toggle["on"]
				toggleLock.Unlock()
			}
			io.WriteString(w, text)
		})
	})
	mux.HandleFunc("/update", func(w http.ResponseWriter, r *http.Request) {
		updates, _ := strconv.Atoi(r.URL.Query().Get("updates"))
		bounded(func() {
			for i := 0; i < updates; i++ {
				counters.add(i % keys)
			}
			io.WriteString(w, "updated")
		})
	})
	mux.HandleFunc("/total", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, counters.total())
	})
	mux.HandleFunc("/health", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "ok")
	})
	mux.HandleFunc("/sched", func(w http.ResponseWriter, r *http.Request) {
		sample := []metrics.Sample{{Name: schedLatencies}}
		metrics.Read(sample)
		histogram := sample[0].Value.Float64Histogram()
		// The outermost bounds are infinite, which JSON cannot say.
		bounds := histogram.Buckets[1 : len(histogram.Buckets)-1]
		json.NewEncoder(w).Encode(map[string]any{"bounds": bounds, "counts": histogram.Counts})
	})

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		fail(err)
	}
	fmt.Printf("{\"url\":\"http://%s\",\"pids\":[%d],\"maxProcs\":%d,\"version\":%q}\n", listener.Addr(), os.Getpid(), runtime.GOMAXPROCS(0), runtime.Version())
	go func() {
		// Who started it holds the other end.
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fail(http.Serve(listener, mux))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
