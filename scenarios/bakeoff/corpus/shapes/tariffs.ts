// Tariffs as they are in the source: types and comments go when it is compiled, so what runs has other lines.
// `here:` as in ../blocks.js.
interface Tariff {
  name: string
  centsPerUnit: number
  from: number
}

interface Reading {
  meter: number
  units: number
}

type Bill = {
  meter: number
  cents: number
}

const tariffs: Tariff[] = Array.from({ length: 50 }, (_, i) => ({ name: `tariff ${i}`, centsPerUnit: i / 3, from: i }))
const readings: Reading[] = Array.from({ length: 2000 }, (_, meter) => ({ meter, units: meter % 89 }))

/** The last tariff that begins below it. */
function tariffOf (units: number): Tariff { // here: transformedInMemory
  return tariffs.findLast(function isBelow ({ from }) { return from <= units }) ?? tariffs[0] // here: transformedInMemory
}

/** What one meter costs. */
function bill ({ meter, units }: Reading): Bill { // here: transformedInMemory
  return { meter, cents: units * tariffOf(units).centsPerUnit } // here: transformedInMemory
}

// What is not called by any block.
export function cheapest (): Tariff {
  return tariffs.reduce((least, tariff) => tariff.centsPerUnit < least.centsPerUnit ? tariff : least)
}

export const blocks = {
  transformedInMemory (ms: number): Bill[] {
    let bills: Bill[] = []
    const end = performance.now() + ms
    while (performance.now() < end) bills = readings.map(bill) // here: transformedInMemory
    return bills
  }
}
