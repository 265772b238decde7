import { join } from 'node:path'

/** Whether Python and web3.py are installed (`python3 -m pip install web3`). */
export const hasWeb3 =
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-c', 'import web3'], { stdout: 'ignore', stderr: 'ignore' }).success

/** Runs a program of this folder with a JSON object as its input; gives the one that it prints. */
export const runPython = async (name: string, input: object): Promise<unknown> => {
  const child = Bun.spawn(['python3', join(import.meta.dir, name)], {
    stdin: new Blob([JSON.stringify(input)]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${error}`)
  return JSON.parse(out) as unknown
}
