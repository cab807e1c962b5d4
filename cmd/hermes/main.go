// Command hermes is a terminal workspace for an agent that learns from its own work. This package only
// hands the process's arguments, streams and signals to internal/cli and exits with its code.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"hermes/cmd/hermes/internal/cli"
)

// version is set by the linker for releases; else the build's own information is used.
var version = ""

func main() {
	os.Exit(run())
}

func run() int {
	// Libraries that print to the standard logger would draw over the screen.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// The second signal ends the program the hard way.
	context.AfterFunc(ctx, stop)
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "hermes: find the working folder: %v\n  → change to a folder that exists\n", err)
		return cli.ExitFailed
	}
	return cli.Main(ctx, cli.Config{
		Streams: cli.Streams{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
			InTTY: term.IsTerminal(int(os.Stdin.Fd())), OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		},
		Args: os.Args[1:], Version: versionString(), Dir: dir, Getenv: os.Getenv, Environ: os.Environ(),
	})
}

func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}
