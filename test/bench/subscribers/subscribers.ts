import { join } from 'node:path'
import { ROOT } from '../../runtime/nodeProcess.ts'
import {
  isInstalled,
  RUNTIME_COMMANDS,
  RUNTIMES,
  type RuntimeName,
} from '../../support/programs/runtimeCommands.ts'
import { startAnvil } from '../engines/anvil.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'
import { type Deliveries, startSubscribers } from './deliveries.ts'

type Server = {
  readonly port: number
  /** Makes one more block; gives when it was committed, milliseconds since 1970, where that can be seen. */
  mine(): Promise<number | undefined>
  stop(): Promise<unknown>
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Ours in a process of its own, on that runtime. */
const startOurs = async (runtime: RuntimeName, connectionsMax: number): Promise<Server> => {
  const child = Bun.spawn(
    [...RUNTIME_COMMANDS[runtime], join(import.meta.dir, 'server.ts'), String(connectionsMax)],
    { stdio: ['pipe', 'pipe', 'inherit'], cwd: ROOT },
  )
  const lines = linesOf(child.stdout)
  const nextNumber = async (): Promise<number> => {
    const { value, done = false } = await lines.next()
    if (done) throw new Error(`the server on ${runtime} ended`)
    return Number(value)
  }
  return {
    port: await nextNumber(),
    mine: async () => {
      void child.stdin.write('\n')
      await child.stdin.flush()
      return nextNumber()
    },
    stop: async () => {
      child.kill()
      await child.exited
    },
  }
}

const startTheirs = async (): Promise<Server> => {
  const anvil = await startAnvil([])
  return {
    port: Number(new URL(anvil.url).port),
    mine: async () => {
      await anvil.rpc('evm_mine')
      return undefined
    },
    stop: () => anvil.stop(),
  }
}

type Told = Deliveries & { readonly committed: number | undefined }

const measure = async (server: Server, count: number, blocks: number): Promise<readonly Told[]> => {
  const subscribers = await startSubscribers(server.port, count)
  const told: Told[] = []
  for (let i = 0; i < blocks; i++) {
    const next = subscribers.next()
    const committed = await server.mine()
    told.push({ ...(await next), committed })
    await Bun.sleep(100)
  }
  await subscribers.close()
  return told
}

const text = (times: readonly number[]): string => `${msText(median(times))} / ${msText(Math.max(...times))}`

const spread = (told: readonly Told[]): readonly number[] => told.map(({ first, last }) => last - first)

/** Every subscriber of newHeads is told of each block: how long that takes. */
export const benchSubscribers = async ({ quick, row }: BenchOptions): Promise<void> => {
  const [counts, blocks] = quick ? [[100, 1000], 10] : [[1, 100, 1000, 5000], 40]
  const measured = async (count: number, name: string, start: () => Promise<Server>): Promise<Row> => {
    const server = await start()
    try {
      const told = await measure(server, count, blocks)
      const sinceCommit = (which: 'first' | 'last'): string =>
        told.some(({ committed }) => committed === undefined)
          ? '-'
          : text(told.map(one => one[which] - (one.committed as number)))
      return {
        name,
        values: {
          'commit to first': sinceCommit('first'),
          'commit to last': sinceCommit('last'),
          'first to last': text(spread(told)),
        },
      }
    } finally {
      await server.stop()
    }
  }
  const add = (count: number, software: string, start: () => Promise<Server>): Promise<void> => {
    const name = `${count} of newHeads, ${software}`
    return row(name, () => measured(count, name, start))
  }
  for (const count of counts) {
    for (const runtime of RUNTIMES)
      if (isInstalled(runtime)) await add(count, runtime, () => startOurs(runtime, count))
    await add(count, 'anvil', startTheirs)
  }
}
