// Loads compose.yaml in the working directory as `docker compose --env-file FILE config` does, with the library that
// Docker Compose loads it with, and prints the project as JSON. Without FILE: as `docker compose config`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(
		nil,
		cli.WithOsEnv,
		cli.WithEnvFiles(os.Args[1:]...),
		cli.WithDotEnv,
		cli.WithConfigFileEnv,
		cli.WithDefaultConfigPath,
	)
	if err == nil {
		var loaded any
		if loaded, err = options.LoadProject(context.Background()); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(loaded)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
