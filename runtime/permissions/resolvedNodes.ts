import { lookup } from 'node:dns/promises'
import { hostKind, parseEnode } from '../../p2p/transport/enode.ts'
import type { PermittedNode } from '../../p2p/peers/permittedNodes.ts'
import type { Log } from '../logging/log.ts'

/** Interval between look-ups of the names in a list: containers get new addresses when they start. */
const RESOLVE_INTERVAL_MS = 10_000

export type ResolvedNodes = {
  /** A new array when something changed. */
  readonly current: () => readonly PermittedNode[]
  /** The list was changed. */
  changed(): void
  stop(): void
}

const addressesOf = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Keeps the addresses of the listed nodes. A name that cannot be looked up keeps the addresses it had. */
export const resolveNodes = (list: () => readonly string[], log: Pick<Log, 'warn'>): ResolvedNodes => {
  const addresses = new Map<string, readonly string[]>()
  const failed = new Set<string>()
  let current: readonly PermittedNode[] = []
  let isStopped = false

  const update = (): void => {
    current = list().map(text => {
      const { publicKey, host, port } = parseEnode(text)
      return { publicKey, hosts: [host, ...(addresses.get(host) ?? [])], port }
    })
  }
  const resolveName = async (host: string): Promise<boolean> => {
    try {
      const found = await addressesOf(host)
      failed.delete(host)
      const isNew = addresses.get(host)?.join() !== found.join()
      addresses.set(host, found)
      return isNew
    } catch (error) {
      if (!failed.has(host))
        log.warn('The name {host} in the nodes allowlist cannot be looked up: {error}', { host, error })
      failed.add(host)
      return false
    }
  }
  const resolveAll = async (): Promise<void> => {
    const names = new Set(
      list()
        .map(text => parseEnode(text).host)
        .filter(host => hostKind(host) === 'name'),
    )
    for (const name of addresses.keys()) if (!names.has(name)) addresses.delete(name)
    const changes = await Promise.all([...names].map(resolveName))
    if (!isStopped && changes.includes(true)) update()
  }

  update()
  void resolveAll()
  const timer = setInterval(() => void resolveAll(), RESOLVE_INTERVAL_MS)
  timer.unref()
  return {
    current: () => current,
    changed: () => {
      update()
      void resolveAll()
    },
    stop: () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}
