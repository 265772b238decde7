import { runProgram } from '../../support/programs/runProgram.ts'

/** Whether Python and web3.py are installed (`python3 -m pip install web3`). */
export const hasWeb3 =
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-c', 'import web3'], { stdout: 'ignore', stderr: 'ignore' }).success

/** Runs a program of this folder with a JSON object as its input; gives the one that it prints. */
export const runPython = async (name: string, input: object): Promise<unknown> => {
  const out = await runProgram(['python3', name], import.meta.dir, { input: JSON.stringify(input) })
  return JSON.parse(out) as unknown
}
