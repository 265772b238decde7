import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomically } from './atomic.ts'

const FILE_NAME = 'besu.ports'

/**
 * Writes the ports in use as Besu does, so that scripts that read them keep working, above all with `--rpc-http-port=0`.
 * Returns the function that removes the file.
 */
export const writePortsFile = (dataPath: string, ports: Readonly<Record<string, number>>): (() => void) => {
  const path = join(dataPath, FILE_NAME)
  const lines = Object.entries(ports).map(([service, port]) => `${service}=${port}`)
  writeFileAtomically(path, `${['#Ports in use by the running node', ...lines].join('\n')}\n`)
  return () => rmSync(path, { force: true })
}
