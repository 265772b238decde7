import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { createSmallDisk, type SmallDisk } from '../../support/programs/smallDisk.ts'
import { NOBODY, startPostgresql } from '../../support/servers/postgresql.ts'
import { type Proxy, startProxy } from '../../support/servers/proxy.ts'
import { startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'

/** Room for the replicas of a campaign, and little enough to be filled at once. */
const DISK_MEGABYTES = 64

/** A shared store behind a proxy. */
export type Shared = {
  readonly name: 'redis' | 'postgresql'
  readonly server: TestServer
  readonly proxy: Proxy
  /** As `--replicate-to` names it; through the proxy. */
  readonly storage: string
  /** Removes all that is stored. */
  readonly empty: () => Promise<void>
  /** Takes all room for writes, or gives it back; reads go on. */
  readonly setFull: (isFull: boolean) => Promise<void>
  readonly remove: () => Promise<void>
}

type Parts = Pick<Shared, 'server' | 'empty' | 'setFull'> & { readonly disk?: SmallDisk }

const withRedis = async (url: string, work: (client: Redis) => Promise<unknown>): Promise<void> => {
  const client = new Redis(url)
  try {
    await work(client)
  } finally {
    client.disconnect()
  }
}

const redisParts = async (): Promise<Parts> => {
  const server = await startRedis({ keeps: true })
  return {
    server,
    empty: () => withRedis(server.url, client => client.flushall()),
    setFull: isFull => withRedis(server.url, client => client.config('SET', 'maxmemory', isFull ? '1' : '0')),
  }
}

const withPostgresql = async (url: string, ...statements: readonly string[]): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A small disk for the tables, which PostgreSQL's user may write to; undefined where this user may not mount one. */
const tableDisk = (): SmallDisk | undefined => {
  const disk = createSmallDisk(DISK_MEGABYTES)
  if (disk === undefined) return undefined
  const folder = join(disk.path, 'tables')
  mkdirSync(folder)
  if (getuid?.() === 0) for (const path of [disk.path, folder]) chownSync(path, NOBODY, NOBODY)
  return disk
}

const postgresqlParts = async (): Promise<Parts> => {
  const server = await startPostgresql()
  const disk = tableDisk()
  const reload = 'SELECT pg_reload_conf()'
  const empty = (): Promise<void> => withPostgresql(server.url, 'DROP TABLE quorate')
  if (disk === undefined)
    return {
      server,
      empty,
      // As a managed server does that has no room left.
      setFull: isFull =>
        withPostgresql(
          server.url,
          'SET default_transaction_read_only = off',
          `ALTER SYSTEM SET default_transaction_read_only = ${isFull ? 'on' : 'off'}`,
          reload,
        ),
    }
  await withPostgresql(
    server.url,
    `CREATE TABLESPACE small LOCATION '${join(disk.path, 'tables')}'`,
    'ALTER SYSTEM SET default_tablespace = small',
    reload,
  )
  return {
    server,
    disk,
    empty,
    setFull: async isFull => {
      if (isFull) disk.fill()
      else disk.makeRoom()
    },
  }
}

/** Starts an empty server, and a proxy in front of it. */
export const startShared = async (name: Shared['name']): Promise<Shared> => {
  const { server, disk, ...parts } = await (name === 'redis' ? redisParts() : postgresqlParts())
  const url = new URL(server.url)
  const proxy = await startProxy(Number(url.port))
  url.port = `${proxy.port}`
  return {
    ...parts,
    name,
    server,
    proxy,
    storage: `${name}?url=${encodeURIComponent(String(url))}`,
    remove: async () => {
      await proxy.close()
      await server.remove()
      disk?.remove()
    },
  }
}

/** What happens to a shared store for a while. */
export type Disturbance = {
  readonly what: string
  readonly begin: (store: Shared) => Promise<unknown> | void
  readonly end: (store: Shared) => Promise<unknown> | void
  /** Whether no block can reach the store meanwhile. */
  readonly isOut: boolean
}

/** Delay of each piece in each direction. */
const SLOW_MS = 2_000

export const DISTURBANCES: readonly Disturbance[] = [
  { what: 'killed', isOut: true, begin: ({ server }) => server.kill(), end: ({ server }) => server.start() },
  {
    what: 'silent',
    isOut: true,
    begin: ({ server }) => server.suspend(),
    end: ({ server }) => server.resume(),
  },
  {
    what: 'slow (2 s)',
    isOut: false,
    begin: ({ proxy }) => {
      proxy.delayMs = SLOW_MS
    },
    end: ({ proxy }) => {
      proxy.delayMs = 0
    },
  },
  { what: 'full', isOut: true, begin: ({ setFull }) => setFull(true), end: ({ setFull }) => setFull(false) },
  {
    what: 'restarted empty',
    isOut: true,
    begin: async ({ empty, server }) => {
      await empty()
      await server.kill()
    },
    end: ({ server }) => server.start(),
  },
]
