import { runProgram } from '../../support/programs/runProgram.ts'

/** Looks for the package without loading it, which takes three seconds of a processor. */
const FIND_WEB3 = "import importlib.util, sys; sys.exit(importlib.util.find_spec('web3') is None)"

/** Whether Python and web3.py are installed (`python3 -m pip install web3`). */
export const hasWeb3 =
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-c', FIND_WEB3], { stdout: 'ignore', stderr: 'ignore' }).success

/** Runs a program of this folder with a JSON object as its input; gives the one that it prints. */
export const runPython = async (name: string, input: object): Promise<unknown> => {
  const out = await runProgram(['python3', name], import.meta.dir, { input: JSON.stringify(input) })
  return JSON.parse(out) as unknown
}

/**
 * Starts a program of this folder that answers each line of its input, a JSON object, with a line; it ends with this
 * process. Questions are asked one after the other. @throws Error when it ends before it answers
 */
export const startPython = (name: string): ((input: object) => Promise<unknown>) => {
  const child = Bun.spawn(['python3', name], {
    cwd: import.meta.dir,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  child.unref()
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let received = ''
  const nextLine = async (): Promise<string> => {
    while (!received.includes('\n')) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`${name} ended`)
      received += decoder.decode(value, { stream: true })
    }
    const end = received.indexOf('\n')
    const line = received.slice(0, end)
    received = received.slice(end + 1)
    return line
  }
  return async input => {
    void child.stdin.write(`${JSON.stringify(input)}\n`)
    await child.stdin.flush()
    return JSON.parse(await nextLine()) as unknown
  }
}
