import { toQuantity } from '../../../core/bytes/hex.ts'
import { RpcError } from '../errors.ts'
import { fileNameOf } from '../parameters/fileName.ts'
import { given, required } from '../parameters/values.ts'
import { SnapshotRefused, type SnapshotStatus } from '../snapshots.ts'
import { method, type Method } from '../method.ts'

const nameOf = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  const name = fileNameOf(value)
  if (name === undefined) throw new RpcError('INVALID_SNAPSHOT_NAME')
  return name
}

const shapeOf = (status: SnapshotStatus): object =>
  status.state === 'none'
    ? status
    : { ...status, number: toQuantity(status.number), done: toQuantity(status.done) }

/** Methods about snapshots of the running node. */
export const SNAPSHOT_METHODS: readonly Method[] = [
  method({
    name: 'admin_createSnapshot',
    summary: 'Begins to write a snapshot of the chain to the folder snapshots of the data path',
    params: { 'name?': 'FileName' },
    result: 'Object',
    handle: ({ params }, context) => {
      const name = nameOf(given(params, 0))
      try {
        return shapeOf(required(context.snapshots, 'METHOD_NOT_ENABLED').create(name))
      } catch (cause) {
        if (!(cause instanceof SnapshotRefused)) throw cause
        throw new RpcError('SNAPSHOT_REFUSED', { detail: cause.message, cause })
      }
    },
  }),
  method({
    name: 'admin_snapshotStatus',
    summary: 'Returns how far the last snapshot is',
    params: {},
    result: 'Object',
    handle: (_, context) => shapeOf(required(context.snapshots, 'METHOD_NOT_ENABLED').status()),
  }),
]
