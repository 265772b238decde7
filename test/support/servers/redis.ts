import { Redis } from 'ioredis'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { isInstalled, skipMessage, startServer, type TestServer } from './serverProcess.ts'

export const HAS_REDIS = isInstalled('redis-server')
if (!HAS_REDIS) skipMessage('redis-server')

const pingOnce = async (url: string): Promise<void> => {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.ping()
  } finally {
    client.disconnect()
  }
}

/** A Redis server in memory: killed, it comes back empty unless `keeps` makes it write its log to the disk. */
export const startRedis = async ({
  keeps = false,
  words = [] as readonly string[],
} = {}): Promise<TestServer> => {
  const [port] = await freePorts(1)
  const url = `redis://127.0.0.1:${port}`
  return startServer({
    name: 'redis',
    url,
    command: folder => [
      'redis-server',
      '--bind',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--dir',
      folder,
      '--save',
      '',
      ...(keeps ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']),
      ...words,
    ],
    probe: () => pingOnce(url),
  })
}
