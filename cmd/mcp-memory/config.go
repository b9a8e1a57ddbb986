package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// BeforeResolve implements the hook of kong in which values from elsewhere than
// the command line are found. What is added last is the stronger.
func (s *settings) BeforeResolve(ctx *kong.Context, p *program) error {
	path, named, err := configPath(ctx, p.env)
	if err != nil {
		return err
	}
	file, err := readConfig(path, named)
	if err != nil {
		return err
	}
	ctx.AddResolver(file)
	ctx.AddResolver(variables{p.env})
	return nil
}

// configPath is the configuration file and whether it was named. The flag has
// not been applied yet at this point, so that it is looked up.
func configPath(ctx *kong.Context, env environment) (path string, named bool, err error) {
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "config" {
			path, _ = ctx.FlagValue(flag).(string)
		}
	}
	if path == "" {
		path = env[variable("config")]
	}
	if path == "" {
		return env.configFile("config.json"), false, nil
	}
	if path, err = env.expand(path); err != nil {
		return "", true, fmt.Errorf("--config: %w", err)
	}
	return path, true, nil
}

// variables resolves flags from the environment.
type variables struct{ env environment }

// Validate implements kong.Resolver.
func (variables) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (v variables) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := v.env[variable(flag.Name)]
	if !ok || flag.Name == helpName {
		return nil, nil
	}
	return value, nil
}

// configFile resolves flags from a file of settings: one JSON object, its keys
// the names of flags with _ for -.
type configFile struct {
	path   string
	values map[string]string
}

// readConfig reads the file. One that was not named may be missing.
func readConfig(path string, named bool) (configFile, error) {
	file := configFile{path: path, values: map[string]string{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("read configuration: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // as it is written
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return file, fmt.Errorf("configuration %s is not a JSON object: %w", path, err)
	}
	for name, value := range values {
		switch value.(type) {
		case nil: // as if it were not there
		case string, bool, json.Number:
			file.values[name] = fmt.Sprint(value)
		default:
			return file, fmt.Errorf("configuration %s: %s must be a single value", path, name)
		}
	}
	return file, nil
}

// Validate implements kong.Resolver: a name that is no setting is an error, for
// a typing mistake would otherwise change nothing, silently.
func (f configFile) Validate(app *kong.Application) error {
	var known, unknown []string
	for _, flag := range app.Flags {
		if flag.Name != helpName && flag.Name != "config" {
			known = append(known, settingName(flag.Name))
		}
	}
	for name := range f.values {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("configuration %s: unknown setting %s; known are %s", f.path, strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// Resolve implements kong.Resolver.
func (f configFile) Resolve(_ *kong.Context, path *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := f.values[settingName(flag.Name)]
	if !ok || path.App == nil { // a file holds settings, not the flags of a command
		return nil, nil
	}
	return value, nil
}

func settingName(flag string) string { return strings.ReplaceAll(flag, "-", "_") }
