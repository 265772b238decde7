/** An item stores its index, so that it can be moved or removed in O(log n). */
export type HeapItem = { heapIndex: number }

/** A binary heap; `before(a, b)` is true if a comes first. An item is in one heap at most. */
export type Heap<T extends HeapItem> = {
  peek(): T | undefined
  push(item: T): void
  pop(): T | undefined
  /** Must be called after a change of the fields that `before` compares. */
  moved(item: T): void
  remove(item: T): void
}

/** `heapIndex` of an item that is in no heap. */
export const NOT_IN_HEAP = -1

/** Uses `items` as its array; O(n). */
export const createHeap = <T extends HeapItem>(before: (a: T, b: T) => boolean, items: T[] = []): Heap<T> => {
  const place = (item: T, index: number): void => {
    items[index] = item
    item.heapIndex = index
  }

  const siftUp = (item: T): void => {
    let index = item.heapIndex
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = items[parentIndex] as T
      if (!before(item, parent)) break
      place(parent, index)
      index = parentIndex
    }
    place(item, index)
  }

  const siftDown = (item: T): void => {
    let index = item.heapIndex
    for (;;) {
      let childIndex = 2 * index + 1
      if (childIndex >= items.length) break
      const right = items[childIndex + 1]
      if (right !== undefined && before(right, items[childIndex] as T)) childIndex++
      const child = items[childIndex] as T
      if (!before(child, item)) break
      place(child, index)
      index = childIndex
    }
    place(item, index)
  }

  const moved = (item: T): void => {
    siftUp(item)
    siftDown(item)
  }

  const remove = (item: T): void => {
    const index = item.heapIndex
    const last = items.pop()
    item.heapIndex = NOT_IN_HEAP
    if (last === undefined || last === item) return
    place(last, index)
    moved(last)
  }

  items.forEach((item, index) => {
    item.heapIndex = index
  })
  for (let index = (items.length >> 1) - 1; index >= 0; index--) siftDown(items[index] as T)

  return {
    peek: () => items[0],
    push: item => {
      item.heapIndex = items.length
      items.push(item)
      siftUp(item)
    },
    pop: () => {
      const first = items[0]
      if (first !== undefined) remove(first)
      return first
    },
    moved,
    remove,
  }
}
