// Code that is compiled when it is loaded: what runs has other lines than this. `here:` as in blocks.js.
interface Invoice {
  id: number
  lines: { price: number, count: number }[]
}

type Total = {
  id: number
  sum: number
}

const invoices: Invoice[] = Array.from({ length: 1000 }, (_, id) => ({ id, lines: [{ price: id / 7, count: id % 5 }] }))

function total ({ id, lines }: Invoice): Total { // here: compiledInMemory
  return { id, sum: lines.reduce((sum, { price, count }) => sum + price * count, 0) } // here: compiledInMemory
}

export const blocks = {
  compiledInMemory (ms: number): Total[] {
    let totals: Total[] = []
    const end = performance.now() + ms
    while (performance.now() < end) totals = invoices.map(total) // here: compiledInMemory
    return totals
  }
}
