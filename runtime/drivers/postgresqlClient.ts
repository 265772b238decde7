import type { Duplex } from 'node:stream'
import type { Client } from 'pg'
import { guardStream } from './guards/guardStream.ts'
import { loadOptional } from './optionalPackage.ts'
import { createPostgresqlGuard } from './guards/postgresqlGuard.ts'

/** One row of a result: a column's value by its name. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * A pool of connections to a server that speaks PostgreSQL's protocol. The seam to the client library: values are texts,
 * numbers, byte arrays and arrays of texts or numbers.
 */
export type SqlPool = {
  /** Runs one statement, which is a transaction of its own. `name` makes the server keep its plan. */
  query(name: string, text: string, values: readonly unknown[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
/** The server ends a statement that takes longer: a batch of megabytes on a busy server takes seconds. */
const STATEMENT_TIMEOUT_MS = 30_000
/** The client gives up soon after, also on a server that is silent. */
const QUERY_TIMEOUT_MS = 32_000
/** Connections of one process; servers allow about a hundred. */
const CONNECTIONS_MAX = 6

/** The client, whose connections have a guard before the library reads them: of what TLS has decrypted, too. */
const guardedClient = (Base: typeof Client): typeof Client =>
  class extends Base {
    constructor(...given: ConstructorParameters<typeof Client>) {
      super(...given)
      const connection = (this as unknown as { readonly connection: ReadingConnection }).connection
      const attachListeners = connection.attachListeners.bind(connection)
      connection.attachListeners = stream => {
        guardStream(stream, createPostgresqlGuard())
        attachListeners(stream)
      }
    }
  }

/** The part of a connection of the library that begins to read a stream. */
type ReadingConnection = { attachListeners: (stream: Duplex) => void }

export type SqlPoolOptions = {
  readonly url: string
  /** Connections; 1 where each request has its own pool, as on Workers. */
  readonly connectionsMax?: number
}

/** @throws StorageUnavailable when the client library is not installed */
export const openSqlPool = async ({
  url,
  connectionsMax = CONNECTIONS_MAX,
}: SqlPoolOptions): Promise<SqlPool> => {
  const { Pool, Client } = await loadOptional('postgresql', 'pg', async () => {
    const module = await import('pg')
    return module.default
  })
  const pool = new Pool({
    Client: guardedClient(Client),
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'quorate',
  })
  let closing: Promise<void> | undefined
  // The next query reports a connection that was lost while it was idle.
  pool.on('error', () => undefined)
  return {
    query: async (name, text, values) => {
      const { rows } = await pool.query<SqlRow>({ name, text, values: [...values] })
      return rows
    },
    close: () => (closing ??= pool.end()),
  }
}
