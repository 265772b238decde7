import { NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { createWsApp } from '../../handlers/ws/app.ts'
import { serve } from '../../runtime/serving/serve.ts'
import { startTestNode } from '../handlers/support/testNode.ts'
import { startAnvil } from './engines/anvil.ts'
import { type BenchOptions, median, msText, type Row } from './measure.ts'
import { type Deliveries, startSubscribers } from './subscribers/deliveries.ts'

type Server = {
  readonly port: number
  /** Makes one more block; gives when it was committed, milliseconds since 1970, where that can be seen. */
  mine(): Promise<number | undefined>
  stop(): Promise<unknown>
}

const now = (): number => performance.timeOrigin + performance.now()

const startOurs = async (connectionsMax: number): Promise<Server> => {
  const node = await startTestNode()
  let committed = 0
  node.chain.onHead(() => {
    committed = now()
  })
  const app = createWsApp(node.context, {
    hostAllowlist: ['*'],
    connectionsMax,
    authentication: NO_AUTHENTICATION,
    clientOf: peer => peer,
  })
  const server = await serve({
    hostname: '127.0.0.1',
    hostOption: 'rpc-ws-host',
    port: 0,
    fetch: (request, peer) => app.fetch(request, peer),
    bodyBytesMax: 1024,
    webSocket: {
      upgrade: (request, peer) => app.upgrade(request, peer),
      frameBytesMax: 1024,
      messageBytesMax: 1024,
    },
  })
  return {
    port: server.port,
    mine: async () => {
      await node.mine()
      return committed
    },
    stop: async () => {
      app.close()
      await server.stop()
      await node.close()
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
export const benchSubscribers = async ({ quick, progress }: BenchOptions): Promise<readonly Row[]> => {
  const [counts, blocks] = quick ? [[100, 1000], 10] : [[1, 100, 1000], 40]
  const rows: Row[] = []
  for (const count of counts) {
    progress(`subscribers: ${count}`)
    const servers: Server[] = []
    try {
      servers.push(await startOurs(count))
      const ours = await measure(servers[0] as Server, count, blocks)
      servers.push(await startTheirs())
      const theirs = await measure(servers[1] as Server, count, blocks)
      rows.push({
        name: `${count} of newHeads`,
        values: {
          'commit to first': text(ours.map(({ first, committed = first }) => first - committed)),
          'commit to last': text(ours.map(({ last, committed = last }) => last - committed)),
          'first to last': text(spread(ours)),
          'anvil: first to last': text(spread(theirs)),
        },
      })
    } finally {
      await Promise.all(servers.map(server => server.stop()))
    }
  }
  return rows
}
