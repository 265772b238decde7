import { createServer } from 'node:net'
import { expect, test } from 'bun:test'
import { freePorts, takenPorts } from '../../../runtime/devnet/ports.ts'

test('given free ports, when they are taken, then they differ, can be listened at, and are no ephemeral ports', async () => {
  const ports = await freePorts(40)
  expect(new Set(ports).size).toBe(40)
  for (const port of ports) {
    expect(port).toBeLessThan(32_768)
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    await new Promise(resolve => server.close(resolve))
  }
})

test('given a port, when something listens at it, then it is taken', async () => {
  const ports = await freePorts(3)
  const [first, second, third] = ports as [number, number, number]
  const server = createServer()
  await new Promise<void>(resolve => server.listen(second, '127.0.0.1', resolve))
  expect(await takenPorts([first, second, third])).toEqual([second])
  await new Promise(resolve => server.close(resolve))
  expect(await takenPorts(ports)).toEqual([])
})
