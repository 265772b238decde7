import { compareSync } from 'bcryptjs'
import { passwordMatches, type PasswordJob } from '../../../handlers/auth/login/password.ts'
import { openWorkerPort } from '../workerPort.ts'
import { lowerPriority } from './lowerPriority.ts'

lowerPriority()

const { post } = openWorkerPort<boolean>((job: PasswordJob) => post(passwordMatches(job, compareSync)))
post('ready')
