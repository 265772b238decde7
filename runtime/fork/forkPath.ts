import { join } from 'node:path'

/** Path of the file that says which network a development chain forks. */
export const forkPath = (dataPath: string): string => join(dataPath, 'fork.json')
