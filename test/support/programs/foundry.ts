import { createRequire } from 'node:module'

/**
 * Path of a program of Foundry, from the package of this platform: the script in `.bin` starts it as a child of its own, which
 * would live on when the script is killed.
 */
export const foundryProgram = (tool: 'anvil' | 'cast'): string => {
  const name = `@foundry-rs/${tool}-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const { resolve } = createRequire(import.meta.url)
  return resolve(`${name}/package.json`, { paths: [resolve(`@foundry-rs/${tool}/package.json`)] }).replace(
    'package.json',
    `bin/${tool}${suffix}`,
  )
}
