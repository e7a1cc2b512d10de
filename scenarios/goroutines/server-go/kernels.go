package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// The same work as kernels.js, with the same value.

const (
	seed      = int32(-1640531527) // 0x9e3779b9
	records   = 50
	sorted    = 2000
	grid      = 24
	mostSteps = 100
	hashed    = 4096
	additions = 10000
)

func xorshift(x int32) int32 {
	x ^= x << 13
	x ^= int32(uint32(x) >> 17)
	x ^= x << 5
	return x
}

type item struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Price   float64  `json:"price"`
	Tags    []string `json:"tags"`
	InStock bool     `json:"inStock"`
}

var jsonText = makeJSON()

func makeJSON() []byte {
	items := make([]item, records)
	for i := range items {
		items[i] = item{i, fmt.Sprintf("item %d", i), float64(i) * 1.5, []string{"red", "green", "blue"}, i%3 == 0}
	}
	text, _ := json.Marshal(items)
	return text
}

var kernels = map[string]func(steps int64) string{
	"float": func(steps int64) string {
		sum := 0.5
		for i := int64(0); i < steps; i++ {
			for k := 0; k < additions; k++ {
				sum += 1
			}
		}
		return strconv.FormatFloat(sum, 'f', 1, 64)
	},
	"int32": func(steps int64) string {
		x := seed
		for i := int64(0); i < steps; i++ {
			for k := 0; k < additions; k++ {
				x = xorshift(x)
			}
		}
		return strconv.Itoa(int(x))
	},
	"sha256": func(steps int64) string {
		block := make([]byte, hashed)
		for i := int64(0); i < steps; i++ {
			digest := sha256.Sum256(block)
			copy(block, digest[:])
		}
		return hex.EncodeToString(block[:32])
	},
	"json": func(steps int64) string {
		sum := 0.0
		for i := int64(0); i < steps; i++ {
			var items []item
			if err := json.Unmarshal(jsonText, &items); err != nil {
				return err.Error()
			}
			for _, each := range items {
				if each.InStock {
					sum += float64(each.ID) + each.Price + float64(len(each.Tags))
				}
			}
		}
		return strconv.FormatFloat(sum, 'f', 1, 64)
	},
	"sort": func(steps int64) string {
		x := seed
		sum := int32(0)
		for i := int64(0); i < steps; i++ {
			numbers := make([]int32, 0, sorted)
			for k := 0; k < sorted; k++ {
				x = xorshift(x)
				numbers = append(numbers, x)
			}
			slices.Sort(numbers)
			sum += numbers[sorted>>1]
		}
		return strconv.Itoa(int(sum))
	},
	"mandelbrot": func(steps int64) string {
		inside := 0
		for i := int64(0); i < steps; i++ {
			for row := 0; row < grid; row++ {
				for column := 0; column < grid; column++ {
					re := float64(column)/grid*3 - 2
					im := float64(row)/grid*2 - 1
					a, b, n := 0.0, 0.0, 0
					// The conversions keep products apart from sums: on some processors Go would fuse
					// them into one rounding, which JavaScript never does.
					for n < mostSteps && float64(a*a)+float64(b*b) <= 4 {
						a, b = float64(a*a)-float64(b*b)+re, float64(2*a*b)+im
						n++
					}
					inside += n
				}
			}
		}
		return strconv.Itoa(inside)
	},
	// The original's: nothing but counting.
	"empty": func(steps int64) string {
		i := int64(0)
		for ; i < steps; i++ {
		}
		return strconv.FormatInt(i, 10)
	},
}
