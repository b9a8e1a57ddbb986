package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// environment is the environment of the process. An empty variable counts as
// one that is not set.
type environment map[string]string

func newEnvironment(list []string) environment {
	env := environment{}
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			env[name] = value
		}
	}
	return env
}

// variable is the name of the variable that sets a flag.
func variable(flag string) string {
	return "MCP_MEMORY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// home is the home directory of the user.
func (env environment) home() (string, error) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := env[name]; dir != "" {
			return dir, nil
		}
	}
	return "", errors.New("the home directory is not known: HOME is not set")
}

// dataFile is the path of one of our files in the platform's data folder.
func (env environment) dataFile(name string) string {
	return filepath.Join(env.folder("XDG_DATA_HOME", xdg.DataHome), "mcp-memory", name)
}

// configFile is the path of one of our files in the platform's folder for
// configuration.
func (env environment) configFile(name string) string {
	return filepath.Join(env.folder("XDG_CONFIG_HOME", xdg.ConfigHome), "mcp-memory", name)
}

func (env environment) folder(name, standard string) string {
	if dir := env[name]; filepath.IsAbs(dir) {
		return dir
	}
	return standard
}

// expand writes out a leading ~ and the variables of a path. A variable that is
// not set is an error: an empty text in its place would name another folder.
func (env environment) expand(path string) (string, error) {
	var unset []string
	path = os.Expand(path, func(name string) string {
		value, ok := env[name]
		if !ok {
			unset = append(unset, name)
		}
		return value
	})
	if len(unset) > 0 {
		return "", fmt.Errorf("the variable %s is not set", strings.Join(unset, ", "))
	}
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := env.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}
