export type ProgramOptions = {
  readonly environment?: Readonly<Record<string, string>>
  /** Its standard input. */
  readonly input?: string
  readonly timeoutMs?: number
}

/** Runs a program to its end in a folder, and gives what it printed. @throws with its output where it fails */
export const runProgram = async (
  command: readonly string[],
  cwd: string,
  { environment = {}, input, timeoutMs }: ProgramOptions = {},
): Promise<string> => {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with code ${code}: ${out}${error}`)
  return out
}
