import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'
import { costOf, nobodysHash, type PasswordJob } from '../../handlers/auth/password.ts'

const port = parentPort
if (port === null) throw new Error('runtime/auth/passwordWorker.ts runs on a worker thread only')

/**
 * Compares, and works on after a wrong password until as much was done as for a hash of `failCost`: hashes of cost c,
 * c, c + 1, ... f - 1 take together as long as one of cost f.
 */
const check = ({ password, hash, failCost }: PasswordJob): boolean => {
  if (compareSync(password, hash)) return true
  for (let cost = costOf(hash) ?? failCost; cost < failCost; cost++) compareSync(password, nobodysHash(cost))
  return false
}

port.on('message', (job: PasswordJob) => port.postMessage(check(job)))
port.postMessage('ready')
