import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { Client } from 'pg'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { isInstalled, skipMessage, startServer, type TestServer } from './serverProcess.ts'

/** Debian keeps the programs of each version in a folder of its own. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** The folder of initdb and postgres, with a slash; empty where they are in the PATH, undefined where they are not installed. */
const programFolder = (): string | undefined => {
  if (isInstalled('initdb') && isInstalled('postgres')) return ''
  if (!existsSync(DEBIAN_FOLDER)) return undefined
  const versions = readdirSync(DEBIAN_FOLDER).map(version => `${DEBIAN_FOLDER}/${version}/bin/`)
  return versions.find(folder => existsSync(`${folder}initdb`))
}
const folderOfPrograms = programFolder()

export const HAS_POSTGRESQL = folderOfPrograms !== undefined
if (!HAS_POSTGRESQL) skipMessage('postgresql')

/** The user and group `nobody`: PostgreSQL refuses to run as root. */
export const NOBODY = 65_534
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
  const words = [
    `${folderOfPrograms}initdb`,
    '-D',
    join(folder, 'data'),
    '-U',
    'quorate',
    '-A',
    'trust',
    '-N',
    '--no-locale',
  ]
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
      return [...asNobody, `${folderOfPrograms}postgres`, '-D', join(folder, 'data'), ...address]
    },
    probe: () => queryOnce(url),
    // An immediate shutdown: nothing is written, and the log is replayed at the next start.
    crashSignal: 'SIGQUIT',
  })
}
