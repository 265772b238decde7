import { accessOf } from '../keys/filePermissions.ts'
import { existsSync, statfsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Enode, EnodeError, parseEnode } from '../../p2p/transport/enode.ts'

/** The result of one check. */
export type Check = {
  readonly name: string
  /** False where something has to be done. */
  readonly passed: boolean
  /** True where nothing is wrong yet, but an operator has to look. */
  readonly needsCare?: boolean
  readonly text: string
}

/** Below this a chain with traffic fills the disk within hours. */
const FREE_BYTES_MIN = 1024 ** 3

const CONNECT_MS_MAX = 3_000

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

/** Only the owner may read the key: anyone who has it can sign as the validator. */
export const checkKey = (dataPath: string): Check => {
  const path = join(dataPath, 'key')
  if (!existsSync(path))
    return {
      name: 'key',
      passed: true,
      text: `no key file ${path}: the key is in another file, or made at the first start`,
    }
  const { open, mode } = accessOf(path)
  const shown = mode.toString(8).padStart(4, '0')
  if (open === 'group')
    return {
      name: 'key',
      passed: true,
      needsCare: true,
      text: `the key file ${path} is readable by its group (${shown}), whose members can sign as the validator`,
    }
  return open === 'nobody'
    ? { name: 'key', passed: true, text: `the key file ${path} is readable by its owner alone (${shown})` }
    : {
        name: 'key',
        passed: false,
        text: `the key file ${path} is open to others (${shown}): chmod 600 ${path}`,
      }
}

/** Free space for further blocks. */
export const checkDisk = (dataPath: string): Check => {
  const { bavail, bsize, blocks } = statfsSync(dataPath)
  const free = bavail * bsize
  const text = `${gibibytes(free)} of ${gibibytes(blocks * bsize)} are free at ${dataPath}`
  return {
    name: 'disk',
    passed: free >= FREE_BYTES_MIN,
    text: free >= FREE_BYTES_MIN ? text : `Only ${text}`,
  }
}

const canConnect = (host: string, port: number): Promise<string | undefined> =>
  new Promise(resolve => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port })
    const end = (reason: string | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reason)
    }
    const timer = setTimeout(() => end(`nothing answered within ${CONNECT_MS_MAX / 1000} s`), CONNECT_MS_MAX)
    socket.once('connect', () => end(undefined))
    socket.once('error', error => end(error.message))
  })

const enodeIn = (text: string): Enode | undefined => {
  try {
    return parseEnode(text)
  } catch (error) {
    if (error instanceof EnodeError) return undefined
    throw error
  }
}

/** Others reach the node by its enode, as far as this machine can tell. */
export const checkEnode = async (enode: string): Promise<Check> => {
  const parsed = enodeIn(enode)
  if (parsed === undefined)
    return { name: 'enode', passed: false, text: `the node announces '${enode}', which is no enode URL` }
  const { host, port } = parsed
  const reason = await canConnect(host, port)
  return {
    name: 'enode',
    passed: reason === undefined,
    text:
      reason === undefined
        ? `${host}:${port}, which this node announces, can be reached from here`
        : `${host}:${port}, which this node announces, cannot be reached from here (${reason}): see --p2p-host, --p2p-port and the firewall`,
  }
}
