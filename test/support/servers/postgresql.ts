import { spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { Client } from 'pg'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { isInstalled, skipMessage, startServer, type TestServer } from './serverProcess.ts'

export const HAS_POSTGRESQL = isInstalled('initdb') && isInstalled('postgres')
if (!HAS_POSTGRESQL) skipMessage('postgresql')

/** The user and group `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const asNobody: readonly string[] =
  getuid?.() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

const queryOnce = async (url: string): Promise<void> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('SELECT 1')
  } finally {
    await client.end()
  }
}

const initialise = (folder: string): void => {
  if (asNobody.length > 0) chownSync(folder, NOBODY, NOBODY)
  const words = ['initdb', '-D', join(folder, 'data'), '-U', 'quorate', '-A', 'trust', '-N', '--no-locale']
  const [program, ...rest] = [...asNobody, ...words, '-E', 'UTF8']
  const { status, stderr } = spawnSync(program, rest, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
}

/** A PostgreSQL server with an empty database. */
export const startPostgresql = async (): Promise<TestServer> => {
  const [port] = await freePorts(1)
  const url = `postgres://quorate@127.0.0.1:${port}/postgres`
  return startServer({
    name: 'postgresql',
    url,
    prepare: initialise,
    command: folder => {
      const address = ['-h', '127.0.0.1', '-p', `${port}`, '-k', folder]
      return [...asNobody, 'postgres', '-D', join(folder, 'data'), ...address]
    },
    probe: () => queryOnce(url),
  })
}
