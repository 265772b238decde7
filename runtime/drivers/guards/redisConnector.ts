import { connect as connectPlainly, type NetConnectOpts, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AbstractConnector, RedisOptions } from 'ioredis'
import { guardStream } from './guardStream.ts'
import { createRedisGuard } from './redisGuard.ts'

/** As the client's own connector: a connection that does not end by then is destroyed. */
const DISCONNECT_MS = 2_000

const open = ({ path, host, port, family, tls }: RedisOptions): Socket => {
  const where = (
    path === undefined || path === null
      ? { host: host ?? '127.0.0.1', port: port ?? 6379, ...(family === undefined ? {} : { family }) }
      : { path }
  ) as NetConnectOpts
  return tls === undefined ? connectPlainly(where) : connectSecurely({ ...where, ...tls })
}

/** Opens the connections of the client, each with a guard before the client reads it. */
export const guardedConnector = (Base: typeof AbstractConnector): NonNullable<RedisOptions['Connector']> =>
  class extends Base {
    readonly #options: RedisOptions
    constructor(options: unknown) {
      super((options as RedisOptions).disconnectTimeout ?? DISCONNECT_MS)
      this.#options = options as RedisOptions
    }
    override connect(): Promise<Socket> {
      this.connecting = true
      const stream = open(this.#options)
      this.stream = stream
      guardStream(stream, createRedisGuard())
      stream.once('error', error => {
        this.firstError = error
      })
      return Promise.resolve(stream)
    }
  }
