import { tuneAllocator } from '../../runtime/allocator.ts'

console.log(tuneAllocator())
