// A Collector of the smallest kind, without its command line: the Collector's receiver of OTLP over HTTP, and its
// exporter to files, which writes what came as JSON lines. It says where it listens, and ends with its stdin.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

// Started in this order and ended in the reverse one.
type parts []component.Component

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The receiver takes no port 0, so a free one is looked for.
func freeAddress() string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	return listener.Addr().String()
}

func main() {
	ctx := context.Background()
	telemetry := componenttest.NewNopTelemetrySettings()
	exporters, receivers := fileexporter.NewFactory(), otlpreceiver.NewFactory()

	to := exporters.CreateDefaultConfig().(*fileexporter.Config)
	to.Path, to.FlushInterval = os.Args[1], 100_000_000
	write := exporter.Settings{ID: component.NewID(exporters.Type()), TelemetrySettings: telemetry}
	traces := must(exporters.CreateTraces(ctx, write, to))
	metrics := must(exporters.CreateMetrics(ctx, write, to))
	logs := must(exporters.CreateLogs(ctx, write, to))

	from := receivers.CreateDefaultConfig().(*otlpreceiver.Config)
	http := from.Protocols.HTTP.GetOrInsertDefault()
	http.ServerConfig.NetAddr.Endpoint = freeAddress()
	read := receiver.Settings{ID: component.NewID(receivers.Type()), TelemetrySettings: telemetry}
	all := parts{traces, metrics, logs,
		must(receivers.CreateTraces(ctx, read, from, traces)),
		must(receivers.CreateMetrics(ctx, read, from, metrics)),
		must(receivers.CreateLogs(ctx, read, from, logs)),
	}
	for _, part := range all {
		check(part.Start(ctx, componenttest.NewNopHost()))
	}
	fmt.Println(http.ServerConfig.NetAddr.Endpoint)
	io.Copy(io.Discard, os.Stdin)
	for i := len(all) - 1; i >= 0; i-- {
		check(all[i].Shutdown(ctx))
	}
}
