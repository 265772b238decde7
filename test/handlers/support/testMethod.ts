import { type Method, method } from '../../../handlers/rpc/method.ts'

/** A row of a test's own method table. */
export const testMethod = (
  name: string,
  handle: Method['handle'],
  more: Pick<Method, 'handleMany'> = {},
): Method => method({ name, summary: name, params: {}, result: 'Object', handle, ...more })
