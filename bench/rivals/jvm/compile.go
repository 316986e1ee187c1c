package jvm

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed *.java
var sources embed.FS

// compile compiles the driver into dir, and what needs Netty if its jars are there.
func (k kit) compile(dir string, jars []string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	args := []string{"-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-d", dir} // short work is not worth much compiling
	files := []string{
		filepath.Join(dir, "Rivals.java"), filepath.Join(dir, "JdkForkJoin.java"),
		filepath.Join(dir, "Crowd.java"), filepath.Join(dir, "HandOver.java"),
	}
	if len(jars) > 0 {
		args = append(args, "-cp", classPath(jars))
		files = append(files, filepath.Join(dir, "NettyWheel.java"))
	}
	_, err := run(exec.Command(k.javac, append(args, files...)...))
	return err
}

// run runs a command and returns what it writes; its error is what the command says is wrong.
func run(cmd *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd.Path, err, said.Bytes())
	}
	return out.String(), nil
}
