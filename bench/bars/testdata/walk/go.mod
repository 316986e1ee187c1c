module walk

go 1.26.0

replace tiny => ../tiny

require tiny v0.0.0
