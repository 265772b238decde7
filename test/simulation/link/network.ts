import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { WireMessage } from '../../../core/qbft/message.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Trace } from '../trace.ts'
import type { Weather } from './weather.ts'

/** What the network knows of a node. */
export type Endpoint = {
  /** Its position among all nodes of the simulation. */
  readonly index: number
  readonly name: string
  /** Two copies of one key have the same. */
  readonly address: Address
  isUp(): boolean
  receive(message: WireMessage, from: Address): void
  connected(peer: Address): void
}

/** Carries messages between nodes late, twice, in another order, or not at all. */
export type Network = {
  join(endpoint: Endpoint): void
  endpoints(): readonly Endpoint[]
  /** To every node with the address. */
  send(from: Endpoint, to: Address, message: WireMessage): void
  /** True when both are up and nothing blocks either direction. */
  isConnected(a: Endpoint, b: Endpoint): boolean
  /** True when some node of `a` is connected with some node of `b`. */
  areConnected(a: Address, b: Address): boolean
  block(from: number, to: number): void
  unblock(from: number, to: number): void
  unblockAll(): void
  /** A node came up: it and its peers connect. */
  arrived(endpoint: Endpoint): void
  setWeather(weather: Weather): void
}

/** How long it takes to find one another again. */
const CONNECT_MS_MAX = 200

const describeMessage = ({ code, data }: WireMessage): string =>
  `${code.toString(16)}:${data.length}:${data[data.length - 1]}${data[data.length - 2]}${data[data.length - 3]}`

export const createNetwork = (
  scheduler: Scheduler,
  random: Random,
  trace: Trace,
  calm: Weather,
  count: (what: string) => void,
): Network => {
  const endpoints: Endpoint[] = []
  const blocked = new Set<string>()
  const lastArrivalMs = new Map<string, number>()
  let weather = calm
  const key = (from: number, to: number): string => `${from}>${to}`
  const isOpen = (from: Endpoint, to: Endpoint): boolean => !blocked.has(key(from.index, to.index))
  const isConnected = (a: Endpoint, b: Endpoint): boolean =>
    a.isUp() && b.isUp() && isOpen(a, b) && isOpen(b, a)

  const byAddress = new Map<string, Endpoint[]>()
  const at = (address: Address): readonly Endpoint[] => byAddress.get(toBareHex(address)) ?? []

  const delayMs = (): number => {
    const { delayMinMs, delayMaxMs, straggling } = weather
    const delay = random.between(delayMinMs, delayMaxMs)
    return random.chance(straggling) ? delay * random.between(2, 20) : delay
  }

  const deliver = (from: Endpoint, to: Endpoint, message: WireMessage): void => {
    const link = key(from.index, to.index)
    let atMs = scheduler.nowMs() + delayMs()
    if (!weather.reorders) atMs = Math.max(atMs, lastArrivalMs.get(link) ?? 0)
    lastArrivalMs.set(link, atMs)
    scheduler.after(atMs - scheduler.nowMs(), () => {
      if (!to.isUp() || !isOpen(from, to)) return
      trace.note(scheduler.nowMs(), to.name, `< ${from.name} ${describeMessage(message)}`)
      to.receive(message, from.address)
    })
  }

  const sendOne = (from: Endpoint, to: Endpoint, message: WireMessage): void => {
    if (!to.isUp() || !isOpen(from, to)) return
    if (random.chance(weather.loss)) return count('messages lost')
    deliver(from, to, message)
    if (!random.chance(weather.duplication)) return
    count('messages duplicated')
    deliver(from, to, message)
  }

  const connect = (a: Endpoint, b: Endpoint): void =>
    scheduler.after(random.between(1, CONNECT_MS_MAX), () => {
      if (!isConnected(a, b)) return
      a.connected(b.address)
      b.connected(a.address)
    })

  const unblock = (from: number, to: number): void => {
    if (!blocked.delete(key(from, to))) return
    const a = endpoints[from]
    const b = endpoints[to]
    if (a !== undefined && b !== undefined && isConnected(a, b)) connect(a, b)
  }

  return {
    join: endpoint => {
      endpoints.push(endpoint)
      byAddress.set(toBareHex(endpoint.address), [...at(endpoint.address), endpoint])
    },
    endpoints: () => endpoints,
    send: (from, to, message) => {
      for (const endpoint of at(to)) if (endpoint !== from) sendOne(from, endpoint, message)
    },
    isConnected,
    areConnected: (a, b) => at(a).some(from => at(b).some(to => isConnected(from, to))),
    block: (from, to) => void blocked.add(key(from, to)),
    unblock,
    unblockAll: () => {
      for (const link of blocked) {
        const [from, to] = link.split('>').map(Number) as [number, number]
        unblock(from, to)
      }
    },
    arrived: endpoint => {
      for (const other of endpoints)
        if (other !== endpoint && other.isUp() && isConnected(endpoint, other)) connect(endpoint, other)
    },
    setWeather: next => {
      weather = next
    },
  }
}
