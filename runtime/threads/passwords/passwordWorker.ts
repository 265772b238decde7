import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'
import { passwordMatches, type PasswordJob } from '../../../handlers/auth/password.ts'
import { goToBackground } from './backgroundThread.ts'

const port = parentPort
if (port === null) throw new Error('runtime/threads/passwords/passwordWorker.ts runs on a worker thread only')

goToBackground()

port.on('message', (job: PasswordJob) => port.postMessage(passwordMatches(job, compareSync)))
port.postMessage('ready')
