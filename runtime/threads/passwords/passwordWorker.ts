import { compareSync } from 'bcryptjs'
import { passwordMatches, type PasswordJob } from '../../../handlers/auth/password.ts'
import { openWorkerPort } from '../workerPort.ts'
import { goToBackground } from './backgroundThread.ts'

goToBackground()

const { post } = openWorkerPort<boolean>((job: PasswordJob) => post(passwordMatches(job, compareSync)))
post('ready')
