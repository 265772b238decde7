import { type ChildProcess, spawn } from 'node:child_process'
import { foundryProgram } from '../../support/programs/foundry.ts'

/** It listens within a fraction of a second; a large genesis file takes a little longer. */
const START_MS_MAX = 30_000

export type Anvil = {
  readonly url: string
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Several calls in one request; their results in order. */
  batch(calls: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<unknown[]>
  stop(): Promise<void>
}

type Answer = {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => reject(new Error(`anvil does not listen: ${output}`)), START_MS_MAX)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      reject(error)
    }
    child.once('error', fail)
    child.once('exit', code => fail(new Error(`anvil ended with code ${code}: ${output}`)))
    const read = (chunk: Buffer): void => {
      if (output.length < 100_000) output += chunk.toString()
      const match = /Listening on (127\.0\.0\.1:\d+)/.exec(output)
      if (match === null) return
      clearTimeout(timer)
      resolve(`http://${match[1]}`)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', chunk => {
      output += String(chunk)
    })
  })

/** Starts anvil on a free port of this machine; `stop` waits until it is gone. */
export const startAnvil = async (args: readonly string[]): Promise<Anvil> => {
  const child = spawn(foundryProgram('anvil'), ['--port', '0', '--chain-id', '1337', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
  })
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    kill()
    await ended
    process.off('exit', kill)
  }
  let url: string
  try {
    url = await listening(child)
  } catch (error) {
    kill()
    throw error
  }
  const send = async (body: unknown): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const resultOf = ({ result, error }: Answer): unknown => {
    if (error !== undefined) throw new Error(`anvil: ${error.message}`)
    return result
  }
  return {
    url,
    rpc: async (method, ...params) =>
      resultOf((await send({ jsonrpc: '2.0', id: 1, method, params })) as Answer) as never,
    batch: async calls => {
      const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
      const answers = (await send(requests)) as Answer[]
      return answers.toSorted((a, b) => a.id - b.id).map(resultOf)
    },
    stop,
  }
}
