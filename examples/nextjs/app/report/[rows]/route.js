/** Blocks: compares every row with every other row. @param {number} rows */
function countPairs (rows) {
  let pairs = 0
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b < rows; b++) if ((a * b) % 7 === 3) pairs++
  }
  return pairs
}

export async function GET (request, { params }) {
  const { rows } = await params
  return Response.json({ pairs: countPairs(Math.min(Number(rows), 20_000)) })
}
