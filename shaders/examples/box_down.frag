// Half the size: four bilinear taps, each the mean of four texels.
#include "../common/sets.glsl"

PASS uniform sampler2D source;

in vec2 uv;
out vec4 out_small;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec4 sum = texture(source, uv + texel * vec2(-1, -1)) + texture(source, uv + texel * vec2(1, -1));
    sum += texture(source, uv + texel * vec2(-1, 1)) + texture(source, uv + texel * vec2(1, 1));
    out_small = vec4(sum.rgb * 0.25, 1.0);
}
